// Goes before a gateway's program (`node --expose-gc --import`), so that its memory can be asked for: each message is
// answered with the resident bytes that are left when everything is collected and given back.
process.on('message', () => {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  process.send?.(process.memoryUsage.rss());
});
// A channel that listens would keep the gateway from ending by itself.
process.channel?.unref();
