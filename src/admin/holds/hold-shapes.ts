import Type from '../../kernel/type.ts'
import { moment } from '../../schema/shapes.ts'

export const Holding = Type.Object({
  at: moment('Since when'),
  by: Type.String({ description: 'Who holds it', examples: ['operator:root'] }),
  reason: Type.String({ description: 'Why', examples: ['The extract of Friday is wrong'] }),
})
