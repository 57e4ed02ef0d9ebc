"""The authored database: what people and agents wrote, never rebuilt, outside the project's folder."""

import hashlib
import shutil
import threading
from pathlib import Path

from consiglierd.errors import StoreNewer
from consiglierd.model.calibration import Calibration
from consiglierd.model.evaluation import Gain
from consiglierd.store.connection import StoreCorrupt, connect, sqlite_errors, transaction
from consiglierd.store.schema import AUTHORED_MIGRATIONS, AUTHORED_SCHEMA_VERSION


def repository_id(root: str, git_common_directory: str | None) -> str:
    """Names the authored database: one for all worktrees of a repository; without git, by the folder."""
    identity = f"git:{git_common_directory}" if git_common_directory else f"root:{root}"
    return hashlib.blake2b(identity.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()


class AuthoredStore:
    """One file a repository in the state directory; thread-safe. A copy is kept before its format is ever changed."""

    def __init__(self, directory: Path, identity: str, root: str) -> None:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = directory / f"{identity}.db"
        self._lock = threading.Lock()
        self._connection = connect(self.path)
        try:
            self._bring_up_to_date()
            self._connection.execute("INSERT OR IGNORE INTO meta VALUES ('root', ?)", (root,))
            self._calibration = self._read_calibration()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    @property
    def calibration(self) -> Calibration | None:
        """What tuning has chosen last; None where it has not, or was taken back.

        The indexer asks at every turn, so it is held in memory: what another worktree of the repository chooses
        counts from the next opening.
        """
        return self._calibration

    def _read_calibration(self) -> Calibration | None:
        with sqlite_errors(self.path.name):
            row = self._connection.execute(
                "SELECT alpha, beta, questions, digest, day, gain, gain_low, gain_high FROM calibrations"
                " ORDER BY id DESC LIMIT 1"
            ).fetchone()
        if row is None or row[0] is None:
            return None
        alpha, beta, questions, digest, day, *gain = row
        return Calibration(alpha, beta, questions, digest, day, Gain("now", *gain))

    def calibrate(self, calibration: Calibration) -> None:
        gain = calibration.gain
        self._enter(
            calibration.day, calibration.alpha, calibration.beta, calibration.questions, calibration.digest,
            gain.mean, gain.low, gain.high,
        )  # fmt: skip

    def take_calibration_back(self, day: str) -> None:
        self._enter(day, None, None, 0, "", 0.0, 0.0, 0.0)

    def _enter(self, *values: object) -> None:
        with self._lock, sqlite_errors(self.path.name), transaction(self._connection):
            self._connection.execute(
                "INSERT INTO calibrations (day, alpha, beta, questions, digest, gain, gain_low, gain_high)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
        self._calibration = self._read_calibration()

    def _bring_up_to_date(self) -> None:
        with sqlite_errors("the authored database"):
            found = int(self._connection.execute("PRAGMA user_version").fetchone()[0])
            is_empty = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
            if found > AUTHORED_SCHEMA_VERSION:
                raise StoreNewer(
                    f"the authored database was written by a newer consigliere (format {found}, this one knows"
                    f" {AUTHORED_SCHEMA_VERSION})",
                    cure="update consigliere",
                )
            if found == 0 and not is_empty:
                raise StoreCorrupt("the authored database is not one of ours")
            if 0 < found < AUTHORED_SCHEMA_VERSION:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                shutil.copy2(self.path, self.path.with_name(f"{self.path.name}.format-{found}"))
            for version, statements in enumerate(AUTHORED_MIGRATIONS, start=1):
                with transaction(self._connection):
                    # Another worktree of the repository may have done it meanwhile.
                    if int(self._connection.execute("PRAGMA user_version").fetchone()[0]) < version:
                        for statement in statements.split(";\n"):
                            self._connection.execute(statement)
                        self._connection.execute(f"PRAGMA user_version={version}")
