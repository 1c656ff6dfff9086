function agent.resolve()
  local value = setmetatable({}, {})
  getmetatable(value).__tostring = function() return tostring(value) end
  return { system = tostring(value) }
end
