"""BackingImage: a golden image that is kept on several disks."""

from holdfast.api.meta import Object
from holdfast.api.struct import Wire


class DiskFileSpec(Wire):
    """A copy as it is wanted."""

    eviction_requested: bool = False
    data_engine: str = ""


class DiskFileStatus(Wire):
    """A copy as it is."""

    state: str = ""
    progress: int = 0
    message: str = ""


class BackingImageSpec(Wire):
    """Where copies shall be, and how many."""

    disk_file_spec_map: dict[str, DiskFileSpec] = {}
    min_number_of_copies: int = 0
    disk_selector: tuple[str, ...] = ()
    node_selector: tuple[str, ...] = ()


class BackingImageStatus(Wire):
    """What is known of the image and of its copies."""

    uuid: str = ""
    size: int = 0
    virtual_size: int = 0
    real_size: int = 0
    disk_file_status_map: dict[str, DiskFileStatus] = {}


class BackingImage(Object):
    """A golden image that is kept on several disks."""

    spec: BackingImageSpec = BackingImageSpec()
    status: BackingImageStatus = BackingImageStatus()
