import { Link, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '~/i18n/use-locale';
import { Button, buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import { Icon } from '~/ui/icon';
import { DateTime } from '~/ui/time';
import type { RulesView } from './rules.server';

interface Props {
  page: Pick<RulesView, 'rules' | 'own' | 'schedule' | 'warnings' | 'isLocked'>;
  /** Of the page of the rules. */
  path: string;
}

/** The rules in their order, and what happens if none of them matches. */
export function RuleList({ page: { rules, own, schedule, warnings, isLocked }, path }: Props) {
  const { t } = useTranslation('routing');
  const locale = useLocale();
  return (
    <section aria-label={t('rules.listed')}>
      <ol className="rules">
        {rules.map((rule, index) => (
          <li key={rule.id} id={`rule-${rule.id}`} className="rule">
            <h2 className="rule__number">
              <span className="sr-only">{t('rules.one')} </span>
              {index + 1}
            </h2>
            <div className="rule__text">
              <ul className="rule__conditions">
                {rule.conditions.map((phrase) => (
                  <li key={phrase}>{phrase}</li>
                ))}
              </ul>
              <Targets variants={rule.variants} keepPath={isLocked ? null : `${path}/${rule.id}/keep`} />
              <Warnings warnings={rule.warnings} />
              {!isLocked && <Acts rule={rule.id} index={index} count={rules.length} path={path} />}
            </div>
          </li>
        ))}
        <li className="rule rule--own">
          <h2 className="rule__number">{t('rules.otherwise')}</h2>
          <div className="rule__text">
            <Targets variants={[own]} keepPath={null} />
            {schedule && (
              <p>
                {t('rules.from')} <DateTime value={schedule.at} locale={locale} />:{' '}
                <span className="rule__target">{schedule.name}</span>
              </p>
            )}
            <Warnings warnings={warnings} />
          </div>
        </li>
      </ol>
    </section>
  );
}

interface TargetsProps {
  variants: RulesView['rules'][number]['variants'];
  /** Page that makes one of several the only one; null if that is not possible. */
  keepPath: string | null;
}

export function Targets({ variants, keepPath }: TargetsProps) {
  const { t } = useTranslation('routing');
  const isSplit = variants.length > 1;
  return (
    <ul className="rule__targets">
      {variants.map(({ route, percent, target, name, visits }) => (
        <li key={`${route}-${target}`}>
          <Icon name="arrow-right" />
          <span className="rule__line">
            {isSplit && <strong className="rule__percent">{t('rules.percent', { percent })} </strong>}
            <a href={target} rel="noreferrer nofollow" className="rule__target">
              {name}
            </a>{' '}
            {visits && <span className="rule__visits">{visits}</span>}{' '}
            {isSplit && keepPath && (
              <Link to={`${keepPath}?route=${route}`}>
                {t('rules.keep')} <span className="sr-only">{name}</span>
              </Link>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Warnings({ warnings }: { warnings: string[] }) {
  return warnings.map((text) => (
    <p key={text} className="rule__warning">
      <Icon name="warning" />
      <span>{text}</span>
    </p>
  ));
}

interface ActsProps {
  rule: number;
  index: number;
  count: number;
  path: string;
}

function Acts({ rule, index, count, path }: ActsProps) {
  const { t } = useTranslation('routing');
  const about = <span className="sr-only">{` ${t('rules.number', { number: index + 1 })}`}</span>;
  const move = (position: number, text: string) => (
    <Button variant="quiet" size="small" name="position" value={position}>
      {text}
      {about}
    </Button>
  );
  return (
    <Form className="actions rule__acts" action={path}>
      <input type="hidden" name="rule" value={rule} />
      <Link to={`${path}/${rule}`} className={buttonClass('secondary', 'small')}>
        {t('rules.change')}
        {about}
      </Link>{' '}
      {index > 0 && move(index, t('rules.up'))}
      {index < count - 1 && move(index + 2, t('rules.down'))}
      <Button variant="quiet" size="small" name="intent" value="delete">
        {t('rules.delete')}
        {about}
      </Button>
    </Form>
  );
}

/** The period of the visits beside the targets, and how they are counted. */
export function RuleFigures({
  figures: { days, periods, note, since, earlier },
}: {
  figures: NonNullable<RulesView['figures']>;
}) {
  const { t } = useTranslation('routing');
  const { search } = useLocation();
  /** With the visit that is tried. */
  const withPeriod = (period: number) => {
    const query = new URLSearchParams(search);
    query.set('period', String(period));
    return `?${query}`;
  };
  return (
    <div className="rule-figures">
      <p>
        {note}{' '}
        {periods.map((period) =>
          period === days ? (
            <strong key={period}>{t('rules.days', { count: period })} </strong>
          ) : (
            <span key={period}>
              <Link to={withPeriod(period)}>{t('rules.days', { count: period })}</Link>{' '}
            </span>
          ),
        )}
      </p>
      <p className="hint">
        {t('rules.counted')} {since && t('rules.since', { date: since })}{' '}
        {earlier && t('rules.earlier', { visits: earlier })}
      </p>
    </div>
  );
}
