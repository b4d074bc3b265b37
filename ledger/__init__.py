"""What is remembered: canonical bytes, content-addressed blobs, chained records; knows nothing else of ours."""
