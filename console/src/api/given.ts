type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The parameters that have a value: the types of the API know no undefined ones. */
export const given = <T extends object>(parameters: T): Given<T> =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)) as Given<T>
