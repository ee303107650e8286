"""What the scripts of run/ share: cores and launchers, running a job and ending all of it, records,
pictures. Standard library only; drawing is done by whichever Python has matplotlib.
"""
