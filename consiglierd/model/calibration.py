"""What tuning has chosen for a project, and on what grounds."""

from dataclasses import dataclass

from consiglierd.model.evaluation import Gain


@dataclass(frozen=True, slots=True)
class Calibration:
    """The share of the vectors and the bonus of a role's rooms, chosen on labelled questions.

    `digest` names the questions, `day` is an ISO day, and `gain` what the choice gains over what was in force, in
    nDCG@10 of questions that it was not chosen by.
    """

    alpha: float
    beta: float
    questions: int
    digest: str
    day: str
    gain: Gain


@dataclass(frozen=True, slots=True)
class Tuning:
    """The outcome of a tuning; `is_adopted` says whether it is in force from now on, `reason` why or why not."""

    calibration: Calibration
    alpha_before: float
    beta_before: float
    is_adopted: bool
    reason: str
