/** The name under which notifications are kept. */
export const notificationsKey = ['notifications'] as const
