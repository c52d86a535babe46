/** Statements that may break a host of the previous release, which runs beside the new one for a while. */
const BREAKING: [pattern: RegExp, problem: string][] = [
  [/\bdrop\s+(?:table|column|view|sequence|type|function)\b/i, 'takes away what an old host may use'],
  [/\brename\b(?!\s+constraint)/i, 'renames what an old host calls by its old name'],
  [/\bset\s+not\s+null\b/i, 'requires what an old host may leave empty'],
  [
    /\badd\s+column\b(?=[^,;]*\bnot\s+null\b)(?![^,;]*\bdefault\b)/i,
    'requires what an old host does not know',
  ],
  [/\bdrop\s+default\b/i, 'requires what an old host leaves to the default'],
  [/\b(?:set\s+data\s+)?type\s+(?:\w+)/i, 'changes a type that an old host reads'],
  [
    /\badd\s+(?:constraint|check|unique|primary\s+key|foreign\s+key)\b/i,
    'refuses what an old host may write',
  ],
  [/\bcreate\s+unique\s+index\b/i, 'refuses what an old host may write twice'],
  [/\bdrop\s+(?:index|constraint)\b/i, 'takes away what an ON CONFLICT of an old host may name'],
  [/\bcreate\s+(?:or\s+replace\s+)?trigger\b/i, 'does something that an old host does not expect'],
  [/\b(?:delete\s+from|truncate)\b/i, 'deletes rows that an old host may use'],
];

/** `-- unused since 0.1.0: why` or `-- works beside 0.1.0: why`, on a line before the statement. */
const REASON = /^\s*-- (?:unused since|works beside) \d+\.\d+\.\d+: \S.{9,}$/m;

/**
 * Statements of a migration that may break a host of the previous release and give no reason why they do not.
 * Changes to a table that the same migration created are safe, because only the new host knows that table.
 */
export function breakingStatements(migration: string): string[] {
  const made = new Set(
    [...migration.matchAll(/^\s*create\s+table\s+(?:if\s+not\s+exists\s+)?"(\w+)"/gim)].map(
      ([, name]) => name,
    ),
  );
  return migration.split('--> statement-breakpoint').flatMap((statement) => {
    if (REASON.test(statement)) return [];
    const text = statement.replace(/--.*$/gm, '').trim();
    const table = /^(?:alter\s+table|create\s+unique\s+index\s+"\w+"\s+on)\s+(?:only\s+)?"(\w+)"/i.exec(
      text,
    )?.[1];
    if (/^create\s+table\b/i.test(text) || (table !== undefined && made.has(table))) return [];
    const found = BREAKING.find(([pattern]) => pattern.test(text));
    return found ? [`${text.split('\n')[0]}: ${found[1]}`] : [];
  });
}
