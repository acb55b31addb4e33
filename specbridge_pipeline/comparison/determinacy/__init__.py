"""Whether a query determines its result on a database, by analysis of its ties and by probes."""
