function agent.resolve()
  setmetatable({}, { __gc = function() while true do end end })
  local trash
  while true do trash = { trash and 1 } end
end
