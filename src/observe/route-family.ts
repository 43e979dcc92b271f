/** Groups of routes whose callers authenticate in the same way. */
export const routeFamilies = ['v2', 'v1', 'dynamic', 'admin'] as const

export type RouteFamily = (typeof routeFamilies)[number]
