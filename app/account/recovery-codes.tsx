import { Link } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { buttonClass } from '~/ui/button';
import { Icon } from '~/ui/icon';

interface Props {
  codes: string[];
  appName: string;
  email: string;
}

/** Shown in one answer only. The file is part of the page, so that it needs neither scripts nor another request. */
export function RecoveryCodes({ codes, appName, email }: Props) {
  const { t } = useTranslation('settings');
  const heading = useRef<HTMLHeadingElement>(null);
  const arrivedLater = useRef(useHydrated());
  useEffect(() => {
    if (arrivedLater.current) heading.current?.focus();
  }, []);
  const title = t('twoStep.codes.title').replaceAll('\u00ad', '');
  const file = [`${appName} · ${email}`, title, '', ...codes, ''].join('\r\n');
  return (
    <section className="sheet">
      <h2 ref={heading} tabIndex={-1}>
        {t('twoStep.codes.title')}
      </h2>
      <p>{t('twoStep.codes.text')}</p>
      <p className="warning">
        <Icon name="warning" />
        <strong>{t('twoStep.codes.warning')}</strong>
      </p>
      <ol className="recovery-codes mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="actions">
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
          download={`${appName.toLowerCase()}-recovery-codes.txt`}
          className={buttonClass('secondary')}
        >
          <Icon name="download" />
          {t('twoStep.codes.download')}
        </a>{' '}
        <Link to="/user/settings" className={buttonClass()}>
          {t('twoStep.codes.done')}
        </Link>
      </div>
    </section>
  );
}
