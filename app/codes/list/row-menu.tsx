import { Link } from '@remix-run/react';
import { type RefObject, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { CONTENT_FORMS } from '~/codes/contents/content-forms';
import { useLocale } from '~/i18n/use-locale';
import { CopyLink } from '~/ui/copy-to-clipboard';
import { Form, FormKey } from '~/ui/form';
import { Icon } from '~/ui/icon';
import { DateTime } from '~/ui/time';
import type { CodeRow } from './code-row';
import { Tags } from './tags';

/** What a row has no space for, and the less frequent acts. */
export function RowMenu({ code, formKey }: { code: CodeRow; formKey: string }) {
  const { t } = useTranslation('codes');
  const locale = useLocale();
  const { id, name, type, dynamic, counted, link, tags, visits } = code;
  const about = <span className="sr-only">{name}</span>;
  return (
    <details className="row-menu">
      <summary className="icon-button">
        <Icon name="more" />
        <span className="sr-only">{t('list.more', { name })}</span>
      </summary>
      <div className="row-menu__panel">
        <p>
          <Icon name={CONTENT_FORMS[type].icon} />
          {t(`design:types.${type}`)}{' '}
          <span className="muted">
            <DateTime value={code.createdAt} locale={locale} />
          </span>
        </p>
        {dynamic ? (
          <>
            <p>{counted ? t('list.total', { count: visits }) : t('list.uncounted')}</p>
            <CopyLink label={t('list.copyOf', { name })} value={link} />
          </>
        ) : (
          <p className="muted">{t('list.openImage')}</p>
        )}
        {tags.length > 0 && <Tags tags={tags} />}
        <ul>
          <li>
            <Link to={`/user/qrcodes/${id}#change`}>
              {t('list.edit')} {about}
            </Link>
          </li>
          <li>
            <Form action={`/user/qrcodes/${id}`}>
              <FormKey value={formKey} />
              <button type="submit" name="intent" value="duplicate">
                {t('list.duplicate')} {about}
              </button>
            </Form>
          </li>
          <li>
            <Link to={`/user/qrcodes/${id}/delete`}>
              {t('list.delete')} {about}
            </Link>
          </li>
        </ul>
      </div>
    </details>
  );
}

/** Closes an open menu as people expect of menus: by Esc, and when the focus or the pointer goes elsewhere. */
export function useRowMenus(list: RefObject<HTMLElement>): void {
  useEffect(() => {
    const close = (except: EventTarget | null) => {
      for (const menu of list.current?.querySelectorAll<HTMLDetailsElement>('details[open]') ?? [])
        if (!(except instanceof Node && menu.contains(except))) menu.open = false;
    };
    const onLeave = ({ target }: Event) => close(target);
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key !== 'Escape' || !(target instanceof Element)) return;
      target.closest('details[open]')?.querySelector('summary')?.focus();
      close(null);
    };
    document.addEventListener('pointerdown', onLeave);
    document.addEventListener('focusin', onLeave);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onLeave);
      document.removeEventListener('focusin', onLeave);
      document.removeEventListener('keydown', onKey);
    };
  }, [list]);
}
