// Loaded into a measured program: reports its CPU time and memory on request.
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuSeconds: (user + system) / 1e6, megabytes: process.memoryUsage.rss() / 1e6 });
});
// The channel must not keep the program alive.
process.channel?.unref();
