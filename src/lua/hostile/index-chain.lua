function agent.resolve()
  local value = {}
  setmetatable(value, { __index = value })
  return { system = value.x }
end
