"""Study 4: when is an accelerator faster than software under a full operating system?"""

from socscope.study.rule30.parameters import Rule30Parameters
from socscope.study.rule30.study import Rule30

__all__ = ["Rule30", "Rule30Parameters"]
