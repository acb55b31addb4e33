"""From queries to English: the phrases, and the sentences made of them."""
