"""Runs of cases, their instruction traces, and the formulas that counts follow."""
