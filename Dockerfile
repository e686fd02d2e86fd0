# Images: `daemon`, the daemon alone, and `desktop`, where it has a screen of its own. Its data lives in /data; the videos to analyse are mounted read-only or uploaded.
# `farm` is the daemon with the client of an object store, for docs/farm.md, and `store` a server that speaks S3 for its trial.
FROM python:3.11-slim AS build
COPY . /src
RUN python -m venv /opt/vaider \
 && /opt/vaider/bin/pip install --no-cache-dir --constraint /src/constraints.txt /src

FROM python:3.11-slim AS runtime
COPY --from=build /opt/vaider /opt/vaider
RUN useradd --create-home --uid 1000 vaider && install -d -o vaider -m 700 /data
USER vaider
ENV PATH=/opt/vaider/bin:$PATH \
    VAIDER_DATA_DIR=/data \
    VAIDER_HOST=0.0.0.0 \
    ORT_DISABLE_TELEMETRY=1
VOLUME /data
EXPOSE 3456
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["vaider", "jobs", "list", "--json"]
# Beyond loopback every request carries the token of /data/token: docker compose exec daemon cat /data/token
CMD ["vaider", "serve"]

FROM runtime AS desktop
USER root
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
    at-spi2-core chromium dbus fonts-dejavu-core libxi6 libxtst6 openbox x11vnc xterm xvfb \
 && rm -rf /var/lib/apt/lists/*
COPY docker/desktop.sh /usr/local/bin/vaider-desktop
COPY docker/chromium.sh /etc/chromium.d/vaider
USER vaider
EXPOSE 5900
CMD ["vaider-desktop", "vaider", "serve"]

FROM build AS farm-build
RUN /opt/vaider/bin/pip install --no-cache-dir --constraint /src/constraints.txt "/src[farm]"

FROM runtime AS farm
COPY --from=farm-build /opt/vaider /opt/vaider

FROM python:3.11-slim AS store
COPY constraints.txt /
RUN pip install --no-cache-dir --constraint /constraints.txt nanio \
 && useradd --create-home --uid 1000 vaider && install -d -o vaider -m 700 /store /store/vaider
USER vaider
VOLUME /store
EXPOSE 9000
# The bucket is the folder.
CMD ["python", "-m", "nanio", "serve", "--data-dir", "/store", "--host", "0.0.0.0", "--port", "9000", "--no-access-log"]

# The last is what is built when nobody names one.
FROM runtime AS daemon
