"""Runs unmodified embedded software on a modelled system-on-chip and shows where its time goes."""
