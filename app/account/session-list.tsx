import { useTranslation } from 'react-i18next';
import type { Locale } from '~/i18n/locales';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import { Sheet } from '~/ui/sheet';
import { DateTime } from '~/ui/time';

interface Session {
  id: string;
  device: { browser: string; system: string };
  createdAt: string;
  lastSeenAt: string;
  current: boolean;
}

/** Where the account is signed in, this place first, with a way to sign out each other one or all of them. */
export function SessionList({ sessions, locale }: { sessions: Session[]; locale: Locale }) {
  const { t } = useTranslation('settings');
  const ordered = [...sessions].sort((a, b) => Number(b.current) - Number(a.current));
  return (
    <Sheet id="sessions" title={t('sessions.heading')}>
      <p>{t('sessions.lead')}</p>
      <ul className="session-list">
        {ordered.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} locale={locale} />
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <Form>
          <Button variant="secondary" name="intent" value="end-others">
            {t('sessions.endOthers')}
          </Button>
        </Form>
      )}
    </Sheet>
  );
}

function SessionRow({ session, locale }: { session: Session; locale: Locale }) {
  const { t } = useTranslation('settings');
  const { browser, system } = session.device;
  const name = [browser, system].filter(Boolean).join(' · ') || t('sessions.unknown');
  return (
    <>
      <div>
        <strong>{name}</strong> {session.current && <span className="badge">{t('sessions.current')}</span>}
        <p className="hint">
          {t('sessions.lastSeen')} <DateTime value={session.lastSeenAt} locale={locale} />
          <br />
          {t('sessions.since')} <DateTime value={session.createdAt} locale={locale} />
        </p>
      </div>
      {!session.current && (
        <Form>
          <input type="hidden" name="id" value={session.id} />
          <Button variant="secondary" size="small" name="intent" value="end-session">
            {t('sessions.end')}
            <span className="sr-only"> {name}</span>
          </Button>
        </Form>
      )}
    </>
  );
}
