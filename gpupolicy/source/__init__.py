"""YAML text -> `Document`: plain data, and the place of every key, value and item.

`load.load` is the door: bytes in, one merged document and findings out; it never touches the disk.
Text is decoded (`text`), parsed (`events`, `construct`), sorted by kind (`kinds`), overlaid
(`overlay`); no bytes whatever make it raise, and `places` knows where everything was written.
"""
