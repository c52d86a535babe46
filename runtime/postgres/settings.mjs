const SETTINGS = {
  // Errors of statements are reported by the programs that send them.
  log_min_messages: 'fatal',
  log_line_prefix: '%b: ',
  max_connections: '60',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  // Nothing copies this server while it runs.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // One process per connection is enough on the machines this is for.
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // There the default leaves what is committed in the drive's cache.
  ...(process.platform === 'darwin' && { wal_sync_method: 'fsync_writethrough' }),
};

/**
 * Settings of the server.
 *
 * @param {boolean} isDisposable nothing has to survive a power cut
 * @returns {Record<string, string>}
 */
export function settingsOf(isDisposable) {
  const durability = isDisposable ? 'off' : 'on';
  return { ...SETTINGS, fsync: durability, synchronous_commit: durability, full_page_writes: durability };
}
