/** Milliseconds of processor time that a piece of work costs this process, with its threads: however busy the machine is. */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
