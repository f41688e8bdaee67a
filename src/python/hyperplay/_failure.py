"""What goes wrong, as an exception."""


class HyperplayError(ValueError):
    """What hyperplay cannot do as asked: the message names the place, the cause and a remedy."""
