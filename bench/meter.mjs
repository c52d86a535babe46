// Loaded into a measured program: tells its processor time and memory when asked.
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuSeconds: (user + system) / 1e6, megabytes: process.memoryUsage.rss() / 1e6 });
});
// The channel must not keep a program alive that wants to end.
process.channel?.unref();
