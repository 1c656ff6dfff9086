function agent.resolve()
  local guard <close> = setmetatable({}, { __close = function() while true do end end })
  error("leave")
end
