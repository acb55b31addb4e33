"""Answering methods: each turns (database, request, model) into a response."""
