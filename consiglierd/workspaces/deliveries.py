"""What the watcher's deliveries mean to the indexer."""

from consiglierd.indexer.events import BarrierAsked, FilesChanged, IndexerEvent, RescanDue, SettingsChanged
from consiglierd.watch.service import (
    BarrierDelivery,
    Delivery,
    PathsDelivery,
    RescanDelivery,
    RootBackDelivery,
    RootGoneDelivery,
)

SETTINGS_FILE_NAME = ".consigliere.toml"


def events_of(delivery: Delivery) -> tuple[IndexerEvent, ...]:
    """What a delivery of the watcher means to the indexer."""
    match delivery:
        case PathsDelivery(paths, folders):
            places = frozenset(paths) | frozenset(folders)
            if SETTINGS_FILE_NAME in places:
                return (SettingsChanged(), FilesChanged(places))
            return (FilesChanged(places),)
        case RescanDelivery(reason):
            return (SettingsChanged(), RescanDue(reason))
        case RootGoneDelivery():
            return (RescanDue("the root is gone"),)
        case RootBackDelivery():
            return (SettingsChanged(), RescanDue("the root is back"))
        case BarrierDelivery(token):
            return (BarrierAsked(token),)
