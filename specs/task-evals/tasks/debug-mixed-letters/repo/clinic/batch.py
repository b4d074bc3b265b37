"""Letters for a whole day."""

from clinic.letters import Letter

DEFAULTS = {"reminders": ["Please bring your insurance card."]}


def letters_of_day(appointments, settings=DEFAULTS):
    """Give a letter for each appointment {"patient", "time", "doctor", "fasting"}, in order."""
    written = []
    for appointment in appointments:
        reminders = settings["reminders"]
        if appointment.get("fasting"):
            reminders.append("Please come with an empty stomach.")
        letter = Letter(appointment["patient"]).add(f"we expect you at {appointment['time']}.")
        for reminder in reminders:
            letter.add(reminder)
        written.append(letter.sign(appointment["doctor"]))
    return written
