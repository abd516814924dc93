"""Injection as a fold over small steps, free of I/O and clocks.

In the order in which ``flow.py`` folds them:

``walk``         read the messages once: what they say, their keys, blocks of ours inside
``standing``     which earlier blocks stand in this request, and what they show
``trigger``      decide whether to look
``query``        derive what to look for
``retrieve``     ask the stores (the only step that waits for somebody else)
``merge``        several stores' lists become one ranking
``deduplicate``  leave out what is in view already, and near-copies
``pack``         fit the best into the token budget and render the block
``write``        put the blocks into the messages

Whatever needs I/O is *yielded* as an effect and answered by a driver (``driving.py``).
"""
