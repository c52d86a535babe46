import '~/styles/code-settings.css';
import { Link } from '@remix-run/react';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LimitFold, PauseFold, ScheduleFold } from '~/codes/rules/timing-folds';
import { Icon } from '~/ui/icon';
import type { LastResult } from '~/ui/server-validated-form';
import { CampaignFold } from './campaign-fold';
import { CountingFold } from './counting';
import { HistoryFold } from './history';
import {
  AddressFold,
  BeaconFold,
  EndFold,
  LabelFold,
  StaticVisibilityFold,
  VisibilityFold,
} from './setting-folds';
import { WatchingFold } from './watching';

type Code = ComponentProps<typeof AddressFold>['code'] &
  ComponentProps<typeof VisibilityFold> &
  ComponentProps<typeof CountingFold>['code'] &
  ComponentProps<typeof LabelFold>['code'] &
  ComponentProps<typeof HistoryFold>['code'] &
  ComponentProps<typeof EndFold>['code'] & { watched: boolean; visits: { total: number } };

interface Props {
  code: Omit<Code, 'isLocked' | 'lastResult'>;
  isRedirected: boolean;
  timing: ComponentProps<typeof PauseFold>['timing'];
  checks: ComponentProps<typeof WatchingFold>['checks'];
  campaign: ComponentProps<typeof CampaignFold>['campaign'];
  /** The address with the campaign parameters as typed, if they were only to be shown. */
  shown: string | null;
  /** The fold with the latest visits, if there are any. */
  lastVisits: ReactNode;
  changes: ComponentProps<typeof HistoryFold>['changes'];
  /** What the form with one of these intents gets. */
  form: (...intents: string[]) => { isLocked: boolean; lastResult: LastResult };
}

/** Everything about a code that is rarely changed, each with its present value. */
export function CodeSettings({ code, isRedirected, timing, checks, campaign, shown, ...rest }: Props) {
  const { lastVisits, changes, form } = rest;
  const { t } = useTranslation('codes');
  const isWatchable = isRedirected || checks.length > 0;
  return (
    <div className="code-page__folds">
      <Group title={t('one.behaviour')}>
        {code.dynamic ? (
          <VisibilityFold visibility={code.visibility} {...form('visibility')} />
        ) : (
          <StaticVisibilityFold />
        )}
        {isRedirected && <RulesRow id={code.id} count={timing.rules} />}
        {isRedirected && <ScheduleFold timing={timing} {...form('schedule', 'unschedule')} />}
        {code.dynamic && (
          <>
            <PauseFold timing={timing} {...form('pause', 'resume')} />
            <LimitFold timing={timing} visits={code.visits.total} {...form('end', 'endless')} />
          </>
        )}
      </Group>
      {(code.dynamic || isWatchable) && (
        <Group title={t('one.measuring')}>
          {code.dynamic && <CountingFold code={code} {...form('counting')} />}
          {lastVisits}
          {isWatchable && (
            <WatchingFold watched={code.watched} checks={checks} {...form('watching', 'check')} />
          )}
          {isRedirected && (
            <CampaignFold campaign={campaign} shown={shown} {...form('campaign', 'campaign-preview')} />
          )}
          {code.beacon && code.counted && <BeaconFold address={code.beacon} />}
        </Group>
      )}
      <Group title={t('one.itself')}>
        <LabelFold code={code} {...form('labels')} />
        {code.dynamic && <AddressFold code={code} />}
        <HistoryFold code={code} changes={changes} {...form('bring-back')} />
        <EndFold code={code} {...form('archive')} />
      </Group>
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Rules have a page of their own. */
function RulesRow({ id, count }: { id: string; count: number }) {
  const { t } = useTranslation('codes');
  return (
    <p>
      <Link className="code-page__row" to={`/user/qrcodes/${id}/rules`}>
        <Icon name="arrow-right" />
        <span>{t('now.rules')}</span> <span className="fold__value">{count || t('now.noRules')}</span>
      </Link>
    </p>
  );
}
