"""Public fakes, the store conformance suite and assertions for tests of code built on this."""
