# `tune` in a container, from the Debian package that scripts/make_packages writes:
#   docker build -t tinytune -f Dockerfile build/packages
#   docker run --rm -v "$PWD:/work" tinytune --model kws.tflite --device esp32c3
FROM debian:12-slim
COPY tinytune_*_amd64.deb /packages/
RUN apt-get update && \
    apt-get install -y --no-install-recommends /packages/tinytune_*_amd64.deb python3 && \
    rm -rf /packages /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["tune"]
