import type { z } from 'zod';
import type { Code } from '#contract/codes';
import type { RouteFigures, RoutingWarning } from '#contract/routing';
import type { Rule } from '#contract/routing-rules';
import type { RoutingChange, RoutingView, RuleInput } from '#contract/routing-schemas';
import type { TestHost } from '../../support/host';

type Input = Partial<z.input<typeof RuleInput>>;

export interface ReadRouting {
  code: Code;
  routing: z.infer<typeof RoutingView>;
  warnings: RoutingWarning[];
  figures: RouteFigures | null;
}

export const to = (...targets: string[]) =>
  targets.map((target, index) => ({
    target,
    percent:
      index === 0
        ? 100 - Math.floor(100 / targets.length) * (targets.length - 1)
        : Math.floor(100 / targets.length),
  }));

/** The calls of one account about where its codes lead. */
export function routingCalls(host: TestHost, token: string) {
  const send = async (method: string, path: string, body?: object) =>
    host.request(`/api/qrcodes/${path}`, { method, token, ...(body && { body: JSON.stringify(body) }) });
  const dataOf = async <T>(answered: Response): Promise<T> => {
    if (!answered.ok) throw new Error(`${answered.status} ${await answered.text()}`);
    return ((await answered.json()) as { data: T }).data;
  };
  return {
    send,
    add: async (id: string, rule: Input) => dataOf<Rule>(await send('POST', `${id}/rules`, rule)),
    change: async (id: string, rule: number, input: Input) =>
      dataOf<Rule>(await send('PUT', `${id}/rules/${rule}`, input)),
    move: (id: string, rule: number, position: number) =>
      send('PUT', `${id}/rules/${rule}/position`, { position }),
    read: async (id: string, query = '') => dataOf<ReadRouting>(await send('GET', `${id}/routing${query}`)),
    update: (id: string, routing: z.input<typeof RoutingChange>) => send('PATCH', id, { routing }),
    changes: async (id: string) =>
      (
        await dataOf<{ changes: { field: string; before: string; after: string; at: string }[] }>(
          await send('GET', id),
        )
      ).changes,
  };
}

export async function problemsOf(
  answered: Response,
): Promise<[number, Record<string, string[]> | undefined]> {
  const { errors } = (await answered.json()) as { errors?: Record<string, string[]> };
  return [answered.status, errors];
}
