"""What ragscore makes of kills, flipped bits, full disks and strange files."""
