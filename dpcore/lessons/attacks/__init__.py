"""What an attacker does with what was released: short functions, so that a lesson can show them as they are."""
