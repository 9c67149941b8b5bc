"""Studies: a question, a space of parameters, a run for each point, and a report."""
