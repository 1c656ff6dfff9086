function agent.resolve()
  local value = setmetatable({}, { __index = function() while true do end end })
  return { system = value.anything }
end
