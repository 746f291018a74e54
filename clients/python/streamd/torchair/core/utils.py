"""Where torchair keeps its logger; plans are told at level DEBUG."""
import logging

logger = logging.getLogger("streamd")
