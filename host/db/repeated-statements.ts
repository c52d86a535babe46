import pg from 'pg';

type Query = (statement: string | pg.QueryConfig, ...rest: unknown[]) => unknown;

/** Texts that were seen once and are remembered in case they come again. */
const MOST_SEEN = 1_000;
const MOST_NAMES = 500;

/**
 * A connection that prepares every statement with parameters from its second use on, so that the server need not parse
 * and plan it again. This is for the embedded engine, where planning the query of a list takes longer than running it; a
 * server plans faster, and would keep the plans for each of its connections.
 */
export class PreparingClient extends pg.Client {
  private readonly seen = new Set<string>();
  private readonly names = new Map<string, string>();

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const prepare: Query = (statement, values, ...rest) =>
      (super.query as Query).call(
        this,
        this.named(typeof statement === 'string' ? { text: statement } : statement, values),
        values,
        ...rest,
      );
    this.query = prepare as pg.Client['query'];
  }

  private named(statement: pg.QueryConfig, values: unknown): pg.QueryConfig {
    const parameters = Array.isArray(values) ? values : (statement.values ?? []);
    if (statement.name || parameters.length === 0) return statement;
    const name = this.nameOf(statement.text);
    return name === undefined ? statement : { ...statement, name };
  }

  private nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined || this.names.size === MOST_NAMES) return known;
    if (this.seen.delete(text)) {
      const name = `repeated_${this.names.size}`;
      this.names.set(text, name);
      return name;
    }
    if (this.seen.size === MOST_SEEN) this.seen.clear();
    this.seen.add(text);
    return undefined;
  }
}
