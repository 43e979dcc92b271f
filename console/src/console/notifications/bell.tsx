/** The bell in the bar: how many notifications are unread, and the newest of them. */
import { ActionIcon, Anchor, Button, Group, Popover, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBell } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { components } from '../../../generated/api.d.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { Age } from '../../parts/time.tsx'
import { notificationTexts as texts } from '../../texts/notifications.ts'
import { useSession } from '../session/session.tsx'
import classes from './bell.module.css'
import { useUnread } from './use-unread.ts'

const MOST_COUNTED = 99

/** @param children below the notifications */
export function Bell({ children }: { readonly children?: ReactNode }): ReactNode {
  const { may } = useSession()
  const { newest, count, markRead } = useUnread()
  const [isOpen, { toggle, close }] = useDisclosure()
  return (
    <Popover
      opened={isOpen}
      onChange={(opened) => !opened && close()}
      width="22rem"
      position="bottom-end"
      trapFocus
    >
      <Popover.Target>
        <ActionIcon
          className={classes.bell}
          variant="subtle"
          color="gray"
          aria-label={texts.bell(count)}
          onClick={toggle}
        >
          <IconBell size={18} aria-hidden />
          {count > 0 && (
            <span className={classes.count} aria-hidden>
              {count > MOST_COUNTED ? `${MOST_COUNTED}+` : count}
            </span>
          )}
        </ActionIcon>
      </Popover.Target>
      <span className="visually-hidden" role="status">
        {count > 0 && texts.unreadCount(count)}
      </span>
      <Popover.Dropdown aria-label={texts.title} maw="calc(100vw - 1rem)">
        {newest.length === 0 ? (
          <Text size="sm" mb="xs">
            {texts.nothingUnread}
          </Text>
        ) : (
          <ul className={classes.list}>
            {newest.map((notification) => (
              <li key={notification.id}>
                <Unread
                  notification={notification}
                  onRead={may('readNotification') ? () => void markRead(notification.id) : undefined}
                />
              </li>
            ))}
          </ul>
        )}
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to={'/notifications'} onClick={close} />}>
          {texts.showAll}
        </Anchor>
        {children}
      </Popover.Dropdown>
    </Popover>
  )
}

type UnreadProps = {
  readonly notification: components['schemas']['Notification']
  readonly onRead: (() => void) | undefined
}

const Unread = ({ notification, onRead }: UnreadProps): ReactNode => {
  const { title, message, link, createdAt } = notification
  return (
    <>
      <Text size="sm" fw={600}>
        {link === null ? (
          title
        ) : (
          <Anchor inherit href={link.startsWith('/') ? serviceAddress() + link : link}>
            {title}
          </Anchor>
        )}
      </Text>
      <Text size="sm" lineClamp={3}>
        {message}
      </Text>
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="var(--text-dim)">
          <Age value={createdAt} />
        </Text>
        {onRead !== undefined && (
          <Button size="compact-xs" variant="default" onClick={onRead}>
            {texts.markRead}
            <span className="visually-hidden"> {title}</span>
          </Button>
        )}
      </Group>
    </>
  )
}
