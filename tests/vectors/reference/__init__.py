"""The specification once more, one file a subject: a reference, and the cases made with it."""
