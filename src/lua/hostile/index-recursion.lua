function agent.resolve()
  local value = setmetatable({}, { __index = function(table, key) return table[key] end })
  return { system = value.x }
end
