// Goes before a gateway's program (`node --import`): each message moves its wall clock by that many milliseconds, as when
// someone sets the clock of the machine. What measures time without a date is not moved. CLOCK_AHEAD_MS is how it begins.
const RealDate = Date;
let aheadMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + aheadMs);
    else super(...args);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};

process.on('message', (ms) => {
  // A process of the gateway's own has messages of its own.
  if (typeof ms !== 'number') return;
  aheadMs += ms;
  process.send?.(Date.now());
});
// A channel that listens would keep the gateway from ending by itself.
process.channel?.unref();
