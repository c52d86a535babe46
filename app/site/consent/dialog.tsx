import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Messages, useArrivedMessages } from '~/i18n/page-messages';
import { useAnnounce } from '~/ui/announcer';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { Icon } from '~/ui/icon';
import { readingMs } from '~/ui/reading-time';
import { type Consent, sendChoice } from './choice';
import { ConsentFields } from './fields';

/** The part of the loader data of /cookies that the dialog shows. */
export interface ConsentLoad {
  consent: Consent | null;
  messages: Messages;
  /** Language tag of `messages`. */
  tag: string;
}

interface Props {
  load: ConsentLoad;
  onSave: () => void;
  onClose: () => void;
}

/** The form of /cookies over the page; once saved, a message that disappears by itself. */
export function ConsentDialog({ load, onSave, onClose }: Props) {
  const { t } = useTranslation('consent');
  useArrivedMessages(load.tag, load.messages);
  const announce = useAnnounce();
  const [state, setState] = useState<'open' | 'failed' | 'saved' | 'left'>('open');
  const [isHeld, setIsHeld] = useState(false);
  const saved = t('common:notices.consent_saved');
  const leave = () => setState('left');

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const isStored = await sendChoice(event.currentTarget, null);
    setState(isStored ? 'saved' : 'failed');
    if (!isStored) return;
    announce(saved);
    onSave();
  }

  useEffect(() => {
    // By now the dialog has closed and restored the focus, but the link it was opened by may have disappeared
    // with the banner.
    if (state === 'left') onClose();
    if (state !== 'saved') return;
    if (document.activeElement === document.body) document.getElementById('main')?.focus();
    if (isHeld) return;
    const timer = setTimeout(onClose, readingMs(saved));
    return () => clearTimeout(timer);
  }, [state, isHeld, saved, onClose]);

  return (
    <>
      <Dialog open={state === 'open' || state === 'failed'} onClose={leave} title={t('title')}>
        <form method="post" action="/cookies" onSubmit={onSubmit}>
          <p>{t('lead')}</p>
          <ConsentFields consent={load.consent} />
          {state === 'failed' && (
            <p role="alert" className="field-error">
              {t('banner.failed')}
            </p>
          )}
          <div className="actions">
            <Button>{t('save')}</Button>
            <Button type="button" variant="quiet" onClick={leave}>
              {t('common:form.cancel')}
            </Button>
          </div>
        </form>
      </Dialog>
      {state === 'saved' && (
        <div
          className="notice success passing"
          onPointerEnter={() => setIsHeld(true)}
          onPointerLeave={() => setIsHeld(false)}
        >
          <Icon name="check" />
          <p>{saved}</p>
        </div>
      )}
    </>
  );
}
