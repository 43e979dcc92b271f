/** Routes that are alike in how their callers authenticate. */
export const routeFamilies = ['v2', 'v1', 'dynamic', 'admin'] as const

export type RouteFamily = (typeof routeFamilies)[number]
