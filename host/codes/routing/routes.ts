import type { Context } from 'hono';
import { done } from '#contract/call';
import { isRedirected } from '#contract/contents/contents';
import {
  addRule,
  changeRule,
  deleteRule,
  getRouting,
  keepVariant,
  moveRule,
  tryRouting,
} from '#contract/routing';
import type { Rule } from '#contract/routing-rules';
import type { RuleInput } from '#contract/routing-schemas';
import { tryVisit } from '#contract/routing-trial';
import { recordActivity } from '#host/accounts/activities';
import { readBlocks, readLinkRules } from '#host/codes/blocks/blocking';
import { changeCode, requireVersion, versionOf } from '#host/codes/code/change';
import { presentCode } from '#host/codes/code/present';
import { requireCode } from '#host/codes/code/store';
import { displayedContent } from '#host/codes/contents/contents';
import { CHANGES_PER_ACCOUNT } from '#host/codes/limits';
import { tried } from '#host/db/tried';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit, limitFor } from '#host/http/rate-limit';
import { headerOf } from '#host/http/request-headers';
import * as edits from './edits';
import { readRouteFigures } from './figures';
import { currentLanguages, NO_ROUTING, viewRouting, viewRule } from './routing';
import { listWarnings, readRule } from './targets';

type Routing = ReturnType<edits.RoutingEdit>;

/** A request that changes the routing of a code. */
interface Edit {
  caller: Caller;
  params: { id: string };
  isTrial: boolean;
  context: Context;
}

export function mountRouting({ mount }: Router, deps: Deps): void {
  const { db, clock, settings, log } = deps;

  mount(getRouting, async ({ caller, params, query, context }) => {
    const code = await requireCode(db.orm, caller.accountId, params.id);
    context.header('ETag', versionOf(code));
    const routing = code.routing ?? NO_ROUTING;
    const now = clock.now();
    const [blocks, rules, figures] = await Promise.all([
      readBlocks(db.orm, [code]),
      readLinkRules(db.orm, settings),
      caller.isSubscribed
        ? readRouteFigures(db.orm, code.id, routing, { days: query.period, now })
        : Promise.resolve(null),
    ]);
    return {
      data: {
        code: presentCode(code, blocks, { shortUrl: settings.shortUrl, log, now }),
        routing: viewRouting(routing),
        warnings: listWarnings(routing, rules, now),
        figures,
      },
    };
  });

  mount(tryRouting, async ({ caller, params, query }) => {
    const code = await requireCode(db.orm, caller.accountId, params.id);
    const { at, country = '', system } = query;
    const [language = ''] = currentLanguages(query.language ? [query.language] : []);
    const asked = { at: at ? Date.parse(at) : clock.now().getTime(), language, country, system };
    const content = isRedirected(code.type) ? displayedContent(code) : null;
    return { data: tryVisit(viewRouting(code.routing ?? NO_ROUTING), content, asked) };
  });

  mount(addRule, async (request) => {
    const input = await readInput(request);
    const after = await edit(request, edits.addRule(input));
    return { data: viewRule(ruleOf(after, (rule) => edits.isSame(rule, input))) };
  });

  mount(changeRule, async (request) => {
    const { rule } = request.params;
    const after = await edit(request, edits.replaceRule(rule, await readInput(request)));
    return { data: viewRule(ruleOf(after, ({ id }) => id === rule)) };
  });

  mount(moveRule, async (request) => {
    await edit(request, edits.moveRule(request.params.rule, request.body.position));
    return done('rule_moved');
  });

  mount(keepVariant, async (request) => {
    const { rule } = request.params;
    const after = await edit(request, edits.keepVariant(rule, request.body.route));
    return { data: viewRule(ruleOf(after, ({ id }) => id === rule)) };
  });

  mount(deleteRule, async (request) => {
    await edit(request, edits.deleteRule(request.params.rule));
    return done('rule_deleted');
  });

  async function readInput({ caller, params, body }: Edit & { body: RuleInput }): Promise<RuleInput> {
    const code = await requireCode(db.orm, caller.accountId, params.id);
    return readRule(db.orm, code, body, await readLinkRules(db.orm, settings));
  }

  /** Changes the routing of a code as it is once the code is locked; returns what became of it. */
  async function edit(
    { caller, params, isTrial, context }: Edit,
    change: edits.RoutingEdit,
  ): Promise<Routing> {
    const now = clock.now();
    const { accountId } = caller;
    await consumeRateLimit(db.orm, limitFor(CHANGES_PER_ACCOUNT, isTrial), accountId, now);
    const owned = { accountId, id: params.id };
    let after: Routing | undefined;
    const routing: edits.RoutingEdit = (before) => {
      after = change(before);
      return after;
    };
    const isChanged = await tried(db.orm, isTrial, (orm) =>
      orm.transaction(async (transaction) => {
        await requireVersion(transaction, owned, headerOf(context, 'if-match'));
        return changeCode(transaction, owned, { routing }, now);
      }),
    );
    if (isChanged && !isTrial)
      await recordActivity(db.orm, accountId, 'qrcode_update', now, { codeId: params.id });
    // The code is another account's, or was deleted: this says so.
    const code = await requireCode(db.orm, accountId, params.id);
    context.header('ETag', versionOf(code));
    return after ?? code.routing ?? NO_ROUTING;
  }
}

function ruleOf(routing: Routing, isWanted: (rule: Rule) => boolean): Rule {
  const rule = routing.rules.find(isWanted);
  if (!rule) throw new ApiError('conflict');
  return rule;
}
