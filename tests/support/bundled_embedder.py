"""The bundled model as a held index and the judge use it: without a process around it."""

from consiglierd.embed.static_table import StaticTable
from consiglierd.embed.windows import windows_of


class BundledEmbedder(StaticTable):
    """Cuts windows as the daemon does."""

    def windows_of(self, title: str, text: str) -> list[str]:
        return windows_of(title, text)
