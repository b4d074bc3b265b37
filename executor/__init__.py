"""Carries out a HarvestPlan or a RunPlan, blind to what is hoped."""
