# since black code formatter does not allow leading decimal point with nothing
# before it, we need to test it explicitly

# fmt: off
print(.1)
# fmt: on
