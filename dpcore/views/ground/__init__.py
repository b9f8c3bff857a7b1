"""What everything that is drawn rests on: style, words of numbers, what is chosen, which cells are known."""
